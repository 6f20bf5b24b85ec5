/** The sources from which a document is read, and the answers of instances to it, for applications and extenders. */
package dev.weir.config.source;
