"""Scores of analyses, against gold trees and over time."""
