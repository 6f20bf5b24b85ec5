package dev.weir.edges;

/** The kinds of limits that are compared. */
enum Limit {
    RATE("a rate"),
    CONCURRENCY("requests at once"),
    ADDRESS("a rate by address"),
    TWO("a rate and requests at once");

    final String text;

    Limit(String text) {
        this.text = text;
    }
}
