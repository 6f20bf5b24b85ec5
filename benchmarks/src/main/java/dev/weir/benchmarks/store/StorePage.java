package dev.weir.benchmarks.store;

/** The page around the table. */
final class StorePage {
    private static final String TEXT = """
            # Limits counted by a store

            `%s` writes this page. `./weir bench store ROW` runs one row and the floor.

            One thread keeps 128 requests in flight to one Redis, on the processors of one machine; PostgreSQL and H2, which is in the process, have a table, by four connections.
            Rows with %,d keys allow each key 1,000 a second, and ask keys at random; rows with one key allow it 10,000,000.
            All rows run in one process with a fixed heap and take turns, in another order each round, after two rounds of warm-up. The figures are medians of %d turns.

            - *of the floor*: the decisions a second, granted ones, divided by those of the floor in the same round.
            - *Redis, us* and *client, us*: the processor time of the server and of the client for one decision. *p50*, *p99*: how long it took.
            - *bytes of a key*: `MEMORY USAGE` of all keys of a limit, the mean of %,d limits of 100 a day, after one request and after ten. A log is of 100 in 1,000 seconds.
              Of PostgreSQL: the row without its page and index, of %,d limits. Those of a window of 20 seconds come in ten blocks.
            - *refused*: a limit that grants without asking the store may ask for more than the store can count.
            - `far-...`: requests come at random times, 1,000 a second, through a relay that holds all bytes for 1 ms each way. *beside 5,000/s*: the same
              limiter has 5,000 others a second, which are not measured. By 32 connections none is joined with others.
            - Weir has a time-out of two seconds in place of 100 ms. Bucket4j has one object for each key, which is kept, since its batching joins the requests of one object.

            %s""";

    private StorePage() {}

    static String of(String command, StoreOptions options, String table) {
        return String.format(TEXT, command, options.keys(), options.turns(), options.keys(), KeyMemory.ROWS, table);
    }
}
