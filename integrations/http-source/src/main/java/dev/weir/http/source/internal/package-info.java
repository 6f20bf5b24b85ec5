/** For sources of Weir over HTTP; not exported to others. */
package dev.weir.http.source.internal;
