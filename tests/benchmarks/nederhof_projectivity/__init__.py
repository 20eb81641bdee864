"""Tables 6 and 7 and Figure 8 of Nederhof 2019."""
