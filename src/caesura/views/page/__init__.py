"""The report: one HTML page that needs only a browser."""
