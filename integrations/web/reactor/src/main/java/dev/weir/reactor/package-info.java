/** Limits for the publishers of Reactor, for code that subscribes to them. */
package dev.weir.reactor;
