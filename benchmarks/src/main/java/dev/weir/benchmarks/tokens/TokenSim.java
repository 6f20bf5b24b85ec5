package dev.weir.benchmarks.tokens;

import java.io.PrintStream;

/** Compares what clients charge for a call to a model before its cost is known, by their use of a quota and the answers 429. */
public final class TokenSim {
    private TokenSim() {}

    /** Prints the tables. Exits with 0, or 2 if there are arguments. */
    public static void main(String... args) {
        System.exit(run(System.out, System.err, args));
    }

    static int run(PrintStream out, PrintStream err, String... args) {
        if (args.length > 0) {
            err.println("sim tokens takes no options, not: " + args[0]);
            return 2;
        }
        out.print(new Report().markdown());
        return 0;
    }
}
