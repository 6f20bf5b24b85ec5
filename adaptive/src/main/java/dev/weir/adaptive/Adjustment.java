package dev.weir.adaptive;

/**
 * One change of a limit, explained.
 *
 * @param from the limit before
 * @param to the limit since
 * @param why the rule that changed it and what it saw, the rule's name first
 * @param window what it was judged by
 */
public record Adjustment(long from, long to, String why, Window window) {}
