/** A reader of documents of limits that reports everything that is wrong with one, for tools. */
package dev.weir.config.document;
