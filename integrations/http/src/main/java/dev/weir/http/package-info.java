/** For HTTP servers that tell clients of limits. */
package dev.weir.http;
