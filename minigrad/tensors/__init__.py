"""How tensors are made, drawn at random, shown, stored and set up; a file is named by what is in it."""
