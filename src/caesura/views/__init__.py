"""Views: a result in; a table, text, HTML page or figure out. No view computes a statistic."""
