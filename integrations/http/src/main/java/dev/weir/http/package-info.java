/** For HTTP servers that tell clients of limits, or limit clients by their address. */
package dev.weir.http;
