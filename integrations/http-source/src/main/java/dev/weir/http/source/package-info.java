/** For applications whose documents are on an HTTP server or in an object store. */
package dev.weir.http.source;
