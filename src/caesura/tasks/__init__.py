"""One module per question a user asks: a corpus or a source of documents in, a result out."""
