package dev.weir.config.document;

import dev.weir.config.document.tree.Place;
import dev.weir.config.document.tree.Unreadable.Fault;
import dev.weir.named.plan.Problem;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** The collected errors of one document. Not thread-safe. */
final class Problems {
    private static final int MAX = 1000;

    private final String document;
    private final Set<Problem> problems = new LinkedHashSet<>();
    /* Values that cannot be read: what follows from that is not told. */
    private final Set<Place> unreadable = new HashSet<>();
    private long count;

    Problems(String document) {
        this.document = rule(document);
    }

    void add(Fault fault) {
        add(fault.at(), "", "", fault.rule(), fault.value());
        if (fault.value().isEmpty()) {
            unreadable.add(fault.at());
        }
    }

    void add(Place at, String limiter, String field, String rule, String value) {
        count++;
        if (problems.size() < MAX && !unreadable.contains(at)) {
            problems.add(new Problem(
                    at.origin().isEmpty() ? document : rule(at.origin()),
                    at.line(),
                    at.column(),
                    value(limiter),
                    rule(field),
                    rule(rule),
                    value(value)));
        }
    }

    /** The number of additions, also the same twice. */
    long count() {
        return count;
    }

    /** In the order of the document; at most 1000, then one that says so. */
    List<Problem> all() {
        if (problems.isEmpty()) {
            return List.of();
        }
        List<Problem> all = new ArrayList<>(problems);
        all.sort(Comparator.comparingInt(Problem::line).thenComparingInt(Problem::column));
        if (problems.size() == MAX) {
            all.add(new Problem(document, 0, 0, "", "", "has more problems than these " + MAX, ""));
        }
        return List.copyOf(all);
    }

    private static String value(String text) {
        return shown(text, 60);
    }

    private static String rule(String text) {
        return shown(text, 400);
    }

    /** Short, with escapes for characters that change how a terminal or a page shows the rest: {@code \\u001b}. */
    private static String shown(String text, int max) {
        StringBuilder shown = new StringBuilder();
        int end = 0;
        for (int i = 0; i < text.length() && shown.length() <= max; i++) {
            end = shown.length() <= max - 3 ? shown.length() : end;
            char character = text.charAt(i);
            shown.append(
                    isPlain(character)
                            ? String.valueOf(character)
                            : String.format(Locale.ROOT, "\\u%04x", (int) character));
        }
        return shown.length() <= max ? shown.toString() : shown.substring(0, end) + "...";
    }

    private static boolean isPlain(char character) {
        return switch (Character.getType(character)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED -> false;
            default -> true;
        };
    }
}
