package dev.weir.adaptive.state;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.CRC32C;

/**
 * The text format of saved state: a first line with the version, one line per limiter, and a last line with the CRC32C of the
 * bytes before it. Names are URL-encoded. A text that was not written so is refused.
 */
final class SavedStateText {
    private static final String KIND = "weir-saved-state ";
    private static final String HEADER = KIND + "1";
    private static final String LEARNED = "learned.";

    /** The state of one limiter, saved {@code at} this time, in milliseconds since the epoch. */
    record Line(String name, long at, long limit, long debtNanos, Map<String, Double> learned) {
        Line {
            learned = Map.copyOf(learned);
            if (name.isBlank() || limit < 1 || debtNanos < 0) {
                throw new IllegalArgumentException(
                        "not the state of a limiter: limit=" + limit + " debtNanos=" + debtNanos);
            }
        }
    }

    /** The exception for a text that cannot be used, with the reason. */
    static final class Refused extends Exception {
        private static final long serialVersionUID = 1;

        final SavedStateReport.Event event;

        Refused(SavedStateReport.Event event, String detail) {
            super(detail);
            this.event = event;
        }
    }

    private SavedStateText() {}

    static byte[] write(Collection<Line> lines) {
        StringBuilder text = new StringBuilder(HEADER).append('\n');
        for (Line line : lines) {
            text.append("limiter=").append(URLEncoder.encode(line.name, UTF_8));
            text.append(" at=").append(line.at);
            text.append(" limit=").append(line.limit);
            text.append(" debtNanos=").append(line.debtNanos);
            new TreeMap<>(line.learned).forEach((name, value) -> {
                if (Double.isFinite(value)) {
                    text.append(' ').append(LEARNED).append(URLEncoder.encode(name, UTF_8));
                    text.append('=').append(value);
                }
            });
            text.append('\n');
        }
        byte[] before = text.toString().getBytes(UTF_8);
        return text.append(last(before, before.length)).toString().getBytes(UTF_8);
    }

    private static String last(byte[] bytes, int before) {
        CRC32C sum = new CRC32C();
        sum.update(bytes, 0, before);
        return String.format("crc32c=%08x", sum.getValue()) + "\n";
    }

    static List<Line> read(byte[] bytes) throws Refused {
        String text = new String(bytes, ISO_8859_1);
        int end = text.indexOf('\n');
        String header = end < 0 ? text : text.substring(0, end);
        if (end >= 0 && header.startsWith(KIND) && !header.equals(HEADER)) {
            throw new Refused(SavedStateReport.Event.OTHER_VERSION, "version " + header.substring(KIND.length()));
        }
        int summed = text.lastIndexOf('\n', text.length() - 2) + 1;
        if (!header.equals(HEADER) || summed == 0 || !text.substring(summed).equals(last(bytes, summed))) {
            throw new Refused(
                    SavedStateReport.Event.DAMAGED, "header or checksum of " + bytes.length + " bytes is wrong");
        }
        List<Line> lines = new ArrayList<>();
        for (String line : text.substring(end + 1, summed).lines().toList()) {
            try {
                lines.add(line(line));
            } catch (RuntimeException e) {
                throw new Refused(SavedStateReport.Event.DAMAGED, "malformed line: " + line);
            }
        }
        return lines;
    }

    private static Line line(String line) {
        Map<String, String> values = new HashMap<>();
        Map<String, Double> learned = new HashMap<>();
        for (String part : line.split(" ", -1)) {
            int sign = part.indexOf('=');
            String key = part.substring(0, sign);
            String value = part.substring(sign + 1);
            if (key.startsWith(LEARNED)) {
                learned.put(URLDecoder.decode(key.substring(LEARNED.length()), UTF_8), Double.valueOf(value));
            } else {
                values.put(key, value);
            }
        }
        return new Line(
                URLDecoder.decode(values.getOrDefault("limiter", ""), UTF_8),
                Long.parseLong(values.getOrDefault("at", "")),
                Long.parseLong(values.getOrDefault("limit", "")),
                Long.parseLong(values.getOrDefault("debtNanos", "")),
                learned);
    }
}
