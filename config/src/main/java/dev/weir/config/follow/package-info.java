/**
 * The way of a document from its source into force. {@code SourceLoop} reads the source, again after failures; {@code Follower}
 * gets each reading; {@code Reconfigurer} leaves out what is absent, empty or in force; {@code DocumentOrder} decides if it may
 * follow the one in force; then it is read and applied, {@code LastGood} keeps it for a restart, and the source is told what this
 * instance, {@code InstanceName}, runs.
 */
package dev.weir.config.follow;
