"""The report: one HTML page that needs nothing but a browser."""
