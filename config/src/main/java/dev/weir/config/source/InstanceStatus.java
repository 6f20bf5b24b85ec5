package dev.weir.config.source;

import dev.weir.config.document.tree.JsonText;
import dev.weir.config.document.tree.Node;
import dev.weir.config.document.tree.Node.ListNode;
import dev.weir.config.document.tree.Node.MapNode;
import dev.weir.config.document.tree.Node.TextNode;
import dev.weir.config.document.tree.TreeReader;
import dev.weir.config.document.tree.Unreadable;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The state of one instance: the version that it runs, and its answer to the document that was offered last.
 *
 * @param instance the name of the instance
 * @param running the version in force there; empty = none
 * @param offered the version of the document that it decided on last; of one that states none or cannot be parsed {@code r} and
 *     its revision, or the start of its digest; empty = there was no document
 * @param result what it did with that one
 * @param problems what is wrong with that one, one line each; of more than {@value #MAX_PROBLEMS} the first
 * @param since when the version in force was put in force, by the clock of the instance; the epoch = none
 */
public record InstanceStatus(
        String instance, String running, String offered, Result result, List<String> problems, Instant since) {
    /** The number of problems that an instance tells at most. */
    public static final int MAX_PROBLEMS = 20;

    /** The decision of an instance on a document. */
    public enum Result {
        /** In force. Some limiters may have kept their last settings: see the problems. */
        ACCEPTED,
        /** Not in force: the document before it remains so. */
        REJECTED,
        /** Not yet: the document is for a part of the instances, and this one is not among them. */
        HELD
    }

    /** Checks the components. */
    public InstanceStatus {
        Objects.requireNonNull(instance, "instance");
        Objects.requireNonNull(running, "running");
        Objects.requireNonNull(offered, "offered");
        Objects.requireNonNull(result, "result");
        Objects.requireNonNull(since, "since");
        problems = List.copyOf(problems.subList(0, Math.min(problems.size(), MAX_PROBLEMS)));
    }

    /** One line of JSON, as sources write it: an object with the names of the components. */
    public String toJson() {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("instance", instance);
        members.put("running", running);
        members.put("offered", offered);
        members.put("result", result.name().toLowerCase(Locale.ROOT));
        members.put("problems", problems);
        members.put("since", since.toString());
        return JsonText.of(members);
    }

    /**
     * Reads what {@link #toJson} wrote. Unknown members are ignored.
     *
     * @throws IllegalArgumentException if it is something else
     */
    public static InstanceStatus ofJson(String json) {
        try {
            Node node = new TreeReader(Reading.MAX_BYTES, 100_000)
                    .json(json.getBytes(StandardCharsets.UTF_8))
                    .root();
            if (node instanceof MapNode members) {
                return of(members);
            }
        } catch (Unreadable | DateTimeException e) {
            throw new IllegalArgumentException("status must be a JSON object with the fields of a status", e);
        }
        throw new IllegalArgumentException("status must be a JSON object");
    }

    private static InstanceStatus of(MapNode members) {
        Node problems = members.get("problems");
        return new InstanceStatus(
                text(members, "instance"),
                text(members, "running"),
                text(members, "offered"),
                Result.valueOf(text(members, "result").toUpperCase(Locale.ROOT)),
                problems == null ? List.of() : texts(problems),
                Instant.parse(text(members, "since")));
    }

    private static List<String> texts(Node node) {
        if (node instanceof ListNode list) {
            return list.items().stream().map(item -> text(item, "problem")).toList();
        }
        throw new IllegalArgumentException("problems must be an array");
    }

    private static String text(MapNode members, String name) {
        return text(members.get(name), name);
    }

    private static String text(@Nullable Node node, String name) {
        if (node instanceof TextNode text && !text.isNull()) {
            return text.text();
        }
        throw new IllegalArgumentException(name + " must be text");
    }
}
