/** Real servers for tests: each starts on a free port of the loopback interface, and leaves nothing behind but the unpacked programs of PostgreSQL. */
@org.jspecify.annotations.NullMarked
package dev.weir.testservers;
