/**
 * Limits before HTTP servers. {@link dev.weir.http.Routes} say which limits a request must pass, and make a
 * {@link dev.weir.http.LimitedRequest} of it, which acquires the permits and answers; beside these, response fields that tell clients
 * of limits, and client addresses as keys.
 */
package dev.weir.http;
