/** The console of a registry of limits, for those who operate them. */
package dev.weir.console;
