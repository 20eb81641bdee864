"""How good analyses are, against gold trees and against time."""
