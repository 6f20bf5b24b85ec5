/** Parsers of documents in JSON, YAML and flat keys into one kind of tree. Not exported. */
package dev.weir.config.document.tree;
