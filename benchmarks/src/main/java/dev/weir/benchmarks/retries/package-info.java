/** A simulation of retries in several layers before a service that is down for a while, with and without budgets. */
@NullMarked
package dev.weir.benchmarks.retries;

import org.jspecify.annotations.NullMarked;
