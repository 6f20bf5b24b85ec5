/** Limits before the handlers of WebFlux, for applications that serve requests with it. */
package dev.weir.webflux;
