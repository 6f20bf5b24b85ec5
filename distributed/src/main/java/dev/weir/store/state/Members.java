package dev.weir.store.state;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The members of a service as one value of a store: a line for each, with its id, its token and the end of its lease. */
final class Members {
    private static final Pattern LINE = Pattern.compile("(\\S{1,128}) (\\S{1,64}) ([0-9]{1,18})");

    private record Lease(String token, long untilMicros) {}

    private final SortedMap<String, Lease> leases;

    private Members(SortedMap<String, Lease> leases) {
        this.leases = leases;
    }

    /** Those whose lease has not ended by the clock of this answer. A line that is none of a member is ignored. */
    static Members of(Stored stored) {
        SortedMap<String, Lease> leases = new TreeMap<>();
        byte[] state = stored.state();
        if (state != null) {
            new String(state, UTF_8)
                    .lines()
                    .map(LINE::matcher)
                    .filter(Matcher::matches)
                    .forEach(line -> {
                        Lease lease = new Lease(line.group(2), Long.parseLong(line.group(3)));
                        if (lease.untilMicros > stored.atMicros()) {
                            leases.put(line.group(1), lease);
                        }
                    });
        }
        return new Members(leases);
    }

    List<String> ids() {
        return List.copyOf(leases.keySet());
    }

    /** The token of a member; null if it is none. */
    @Nullable
    String token(String id) {
        Lease lease = leases.get(id);
        return lease == null ? null : lease.token;
    }

    Members with(String id, String token, long untilMicros) {
        SortedMap<String, Lease> more = new TreeMap<>(leases);
        more.put(id, new Lease(token, untilMicros));
        return new Members(more);
    }

    Members without(String id) {
        SortedMap<String, Lease> fewer = new TreeMap<>(leases);
        fewer.remove(id);
        return new Members(fewer);
    }

    byte[] bytes() {
        return leases.entrySet().stream()
                .map(each -> each.getKey() + ' ' + each.getValue().token + ' ' + each.getValue().untilMicros + '\n')
                .collect(Collectors.joining())
                .getBytes(UTF_8);
    }
}
