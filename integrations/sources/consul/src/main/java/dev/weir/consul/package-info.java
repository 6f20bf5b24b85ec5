/** A source of documents in Consul, for applications. */
package dev.weir.consul;
