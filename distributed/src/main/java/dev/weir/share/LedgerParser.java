package dev.weir.share;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * A lenient parser of a ledger, which anybody may have written. An error is reported, and read so that no instance gets more: a
 * share that cannot be read counts as the whole quota, and a quota that cannot be read is ignored.
 */
final class LedgerParser {
    private static final Pattern NUMBER = Pattern.compile("0|[1-9][0-9]{0,17}");
    private static final Pattern TOKEN = Pattern.compile("[0-9a-f]{16}");
    private static final int MAX_ROWS = 10_000;
    private static final int MAX_PROBLEMS = 16;

    private final Map<String, Row> rows = new LinkedHashMap<>();
    private final List<String> problems = new ArrayList<>();
    private long epoch;

    private LedgerParser() {}

    /** A ledger, and what was wrong with its text. */
    record Parsed(Ledger ledger, List<String> problems) {}

    static Parsed parse(String text) {
        LedgerParser parser = new LedgerParser();
        if (!text.isEmpty()) {
            parser.read(text.split("\n", -1));
        }
        return new Parsed(new Ledger(parser.epoch, List.copyOf(parser.rows.values())), List.copyOf(parser.problems));
    }

    private void read(String[] lines) {
        if (lines.length < 3
                || !lines[0].startsWith(Ledger.VERSION)
                || !isNumber(lines[0].substring(Ledger.VERSION.length()))
                || !lines[1].equals(Ledger.COLUMNS)) {
            report("the text is no ledger of version 1");
            return;
        }
        epoch = Long.parseLong(lines[0].substring(Ledger.VERSION.length()));
        if (!lines[lines.length - 1].isEmpty()) {
            report("the last line does not end");
        }
        for (int i = 2; i < lines.length - 1; i++) {
            readRow(lines[i], "line " + (i + 1));
        }
    }

    private void readRow(String line, String where) {
        String[] column = line.split(" ", -1);
        boolean isRow = column.length == 8
                && isName(column[0])
                && TOKEN.matcher(column[1]).matches();
        if (!isRow || rows.size() >= MAX_ROWS) {
            report(where + " is no row");
            return;
        }
        long gone = number(column[7], -1, -1, where + ": gone");
        Row row = new Row(
                column[0],
                column[1],
                number(column[2], Row.MAX, Row.MAX, where + ": granted"),
                number(column[3], 0, 0, where + ": degraded"),
                number(column[4], Row.MAX, Row.MAX, where + ": quota"),
                weight(column[5], where),
                number(column[6], Row.MAX, Row.MAX, where + ": demand"),
                Math.min(gone, epoch));
        String key = row.instance() + ' ' + row.token();
        Row other = rows.get(key);
        if (other != null) {
            report(where + " is a second row of one instance");
        }
        rows.put(key, other == null ? row : other.withGranted(Row.sum(other.granted(), row.granted())));
    }

    private long weight(String text, String where) {
        long weight = number(text, 0, 0, where + ": weight");
        if (weight > Row.MAX_WEIGHT) {
            report(where + ": weight is too large");
            return 0;
        }
        return weight;
    }

    private long number(String text, long none, long wrong, String where) {
        if (text.equals("-")) {
            return none;
        }
        if (!isNumber(text)) {
            report(where + " is no number");
            return wrong;
        }
        return Long.parseLong(text);
    }

    private static boolean isNumber(String text) {
        return NUMBER.matcher(text).matches();
    }

    private static boolean isName(String text) {
        try {
            ShareRegistry.name("instance", text);
            return true;
        } catch (IllegalArgumentException none) {
            return false;
        }
    }

    private void report(String problem) {
        if (problems.size() < MAX_PROBLEMS) {
            problems.add(problem);
        }
    }
}
