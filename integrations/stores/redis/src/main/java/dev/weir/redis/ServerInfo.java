package dev.weir.redis;

import java.util.HashMap;
import java.util.Map;

/**
 * The properties of a server, from its {@code INFO}.
 *
 * @param runId different after each start of the server; empty if it does not say
 * @param role {@code "master"} or {@code "slave"}; empty if it does not say
 */
record ServerInfo(String version, String mode, String role, String runId, String evictionPolicy) {
    static final ServerInfo UNKNOWN = new ServerInfo("", "", "", "", "");

    private static final int OLDEST = 5;

    /** The answer to {@code INFO}. */
    static ServerInfo of(String info) {
        Map<String, String> fields = new HashMap<>();
        info.lines().forEach(line -> {
            int colon = line.indexOf(':');
            if (colon > 0) {
                fields.put(line.substring(0, colon), line.substring(colon + 1).strip());
            }
        });
        return new ServerInfo(
                fields.getOrDefault("redis_version", ""),
                fields.getOrDefault("redis_mode", ""),
                fields.getOrDefault("role", ""),
                fields.getOrDefault("run_id", ""),
                fields.getOrDefault("maxmemory_policy", ""));
    }

    boolean isReplica() {
        return role.equals("slave");
    }

    boolean isInCluster() {
        return mode.equals("cluster");
    }

    /** True if the server may remove keys that have a time to live, as those of limits have, before it has passed. */
    boolean evictsLimits() {
        return !evictionPolicy.isEmpty() && !evictionPolicy.equals("noeviction");
    }

    /** True if scripts may not write after they have read the time there. */
    boolean isTooOld() {
        String major = version.replaceFirst("[.].*", "");
        return major.matches("[0-9]{1,4}") && Integer.parseInt(major) < OLDEST;
    }
}
