/** Limiters by name, from one document that changes while they run, for applications. */
package dev.weir.config;
