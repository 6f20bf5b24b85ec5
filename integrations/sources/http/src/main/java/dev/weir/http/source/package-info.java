/** A source of documents on an HTTP server or in an object store, for applications. */
package dev.weir.http.source;
