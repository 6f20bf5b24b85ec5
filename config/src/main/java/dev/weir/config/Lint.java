package dev.weir.config;

import dev.weir.Ticker;
import dev.weir.config.document.DocumentException;
import dev.weir.config.document.DocumentReader;
import dev.weir.config.document.Format;
import dev.weir.config.document.LimitsDocument;
import dev.weir.config.schema.Schema;
import dev.weir.named.plan.LimitPlan;
import dev.weir.named.plan.Problem;
import dev.weir.spi.Strategy;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * A command that checks documents: {@code ./weir lint FILE...}, or without Maven {@code java -jar weir-config-VERSION-lint.jar
 * FILE...}. Prints each problem in one line, in the order of the document, or what each limit would do. The exit code is 0 if
 * all documents are right, 1 if one has a problem, 2 if one cannot be read or an argument is wrong.
 */
public final class Lint {
    private static final int GOOD = 0;
    private static final int FAULTY = 1;
    private static final int UNUSABLE = 2;

    private static final int MOST_BYTES = 1 << 21;

    private static final String USAGE = String.join(
            System.lineSeparator(),
            "usage: ./weir lint FILE...   checks documents and prints what they would do",
            "       ./weir lint --schema  prints the JSON Schema of documents");

    private final PrintStream out;
    private final PrintStream err;

    private Lint(PrintStream out, PrintStream err) {
        this.out = out;
        this.err = err;
    }

    /** Checks the files that are named, and ends the process with the exit code. */
    public static void main(String[] arguments) {
        System.exit(run(List.of(arguments), System.out, System.err));
    }

    static int run(List<String> arguments, PrintStream out, PrintStream err) {
        return new Lint(out, err).run(arguments);
    }

    private int run(List<String> files) {
        if (files.equals(List.of("--schema"))) {
            out.print(Schema.text());
            return GOOD;
        }
        if (files.isEmpty() || files.stream().anyMatch(file -> file.startsWith("-"))) {
            err.println(USAGE);
            return UNUSABLE;
        }
        int worst = GOOD;
        for (String file : files) {
            worst = Math.max(worst, check(file));
        }
        return worst;
    }

    private int check(String name) {
        byte[] content;
        try (InputStream file = Files.newInputStream(Path.of(name))) {
            content = file.readNBytes(MOST_BYTES);
        } catch (IOException | IllegalArgumentException e) {
            err.println(name + ": cannot be read: " + e);
            return UNUSABLE;
        }
        try {
            Format format = Format.of(name);
            DocumentReader reader = DocumentReader.system();
            LimitsDocument document = reader.read(name, content, format, limiter -> 0);
            List<Problem> problems = new ArrayList<>(document.problems());
            if (!document.ended()) {
                problems.add(new Problem(
                        name, 0, 0, "", "the document", "must end with a newline: it may be half of a document", ""));
            }
            if (!problems.isEmpty()) {
                return report(problems);
            }
            describe(name, document, reader.read(name, content, format));
            return GOOD;
        } catch (DocumentException e) {
            return report(e.problems());
        }
    }

    private int report(List<Problem> problems) {
        problems.forEach(out::println);
        return FAULTY;
    }

    /** Describes the document within the rollouts of its limits, and elsewhere. */
    private void describe(String file, LimitsDocument document, LimitsDocument elsewhere) {
        boolean[] staged = {document.header().percent() > 0 && document.header().percent() < 100};
        document.limits().forEach((name, plan) -> {
            String text = name + ": " + plan.text();
            LimitPlan other = elsewhere.limits().get(name);
            String otherText = other == null ? text : name + ": " + other.text();
            if (text.equals(otherText)) {
                out.println(text);
            } else {
                staged[0] = true;
                out.println(name + " (within its rollout)" + text.substring(name.length()));
                out.println(name + " (elsewhere)" + otherText.substring(name.length()));
            }
        });
        document.limits()
                .values()
                .forEach(plan ->
                        hints(plan).forEach(hint -> out.println(file + ": hint: " + plan.name() + ": " + hint)));
        if (!document.removed().isEmpty()) {
            out.println("removed: " + String.join(", ", document.removed()));
        }
        if (!document.values().isEmpty()) {
            out.println("values: " + String.join(", ", document.values().keySet()));
        }
        if (staged[0]) {
            out.println(
                    file + ": hint: is for a part of the instances; each of them needs a name that survives restarts: "
                            + "LimiterRegistry.Builder.instance");
        }
    }

    /** The settings that are right, and hardly meant: tasks that are refused, or hold a permit while they wait for a thread. */
    private static List<String> hints(LimitPlan plan) {
        LimitPlan.Pool pool = plan.find(LimitPlan.EXECUTOR);
        OptionalLong most = plan.spec().parts().stream()
                .map(part -> part.create(Ticker.system()))
                .filter(part -> part.traits().holds())
                .mapToLong(Strategy::limit)
                .min();
        List<String> hints = new ArrayList<>();
        if (pool == null || most.isEmpty()) {
            return hints;
        }
        long limit = most.getAsLong();
        int capacity = pool.queueCapacity();
        if (capacity > 0 && plan.find(LimitPlan.QUEUE) == null) {
            hints.add("executor.queue-capacity queues no task over the limit: it is refused; write queue: " + capacity);
        }
        if (pool.max() < limit || (capacity > 0 && pool.core() < limit)) {
            hints.add("executor." + (pool.max() < limit ? "max" : "core") + " is less than the limit, which is " + limit
                    + ": a task may be granted and find no thread"
                    + (capacity > 0 ? "; leave queue-capacity out, or write core: " + limit : ""));
        }
        return hints;
    }
}
