"""Views, which turn a result into a table, text, HTML page or figure. No view computes a statistic."""
