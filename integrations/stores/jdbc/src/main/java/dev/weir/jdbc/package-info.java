/** Limits that PostgreSQL, MariaDB or H2 counts for all instances. */
@org.jspecify.annotations.NullMarked
package dev.weir.jdbc;
