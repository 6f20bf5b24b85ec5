/** Parsers of documents in JSON, YAML and flat keys into one kind of tree. Not exported. */
@NullMarked
package dev.weir.config.document.tree;

import org.jspecify.annotations.NullMarked;
