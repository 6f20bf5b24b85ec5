package dev.weir.edges;

/** What is limited. */
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
