"""Agreement between coders, corrected for chance."""
