/** Response fields that tell clients of limits, and client addresses as keys of limits, for HTTP servers. */
package dev.weir.http;
