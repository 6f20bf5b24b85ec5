/** Real servers for tests: each starts on a free port of the loopback interface, and leaves nothing behind. */
@org.jspecify.annotations.NullMarked
package dev.weir.testservers;
