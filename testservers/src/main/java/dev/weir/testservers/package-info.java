/** For tests that need a real server: each starts one on a free port of the loopback interface, and leaves nothing behind. */
@org.jspecify.annotations.NullMarked
package dev.weir.testservers;
