/** An HTTP client and its parts, for the sources of Weir; not exported to others. */
package dev.weir.http.source.internal;
