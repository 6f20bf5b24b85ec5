/** For applications and extenders: where a document is read from, and what instances answer to it. */
package dev.weir.config.source;
