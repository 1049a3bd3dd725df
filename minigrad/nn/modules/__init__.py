"""The layers: modules that hold their parameters."""
