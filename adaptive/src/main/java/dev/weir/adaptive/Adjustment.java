package dev.weir.adaptive;

/**
 * One change of a limit by a control, and the reason. Immutable.
 *
 * @param from the limit before
 * @param to the limit after
 * @param why the rule of the controller and what it saw, the controller's name first
 * @param window the sampling window that the controller evaluated
 */
public record Adjustment(long from, long to, String why, Window window) {}
