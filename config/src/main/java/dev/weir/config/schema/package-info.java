/** The JSON Schema and the descriptions of documents, made from the factories, for editors and readers. Not exported. */
@NullMarked
package dev.weir.config.schema;

import org.jspecify.annotations.NullMarked;
