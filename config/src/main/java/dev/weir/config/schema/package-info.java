/** The JSON Schema and the descriptions of documents, made from the factories, for editors and readers. Not exported. */
package dev.weir.config.schema;
