/** For applications whose documents are in Consul. */
package dev.weir.consul;
