package dev.weir.zookeeper;

import java.util.regex.Pattern;

/** The threads of a ZooKeeper in this process. */
final class ServerThreads {
    private static final Pattern NAMES =
            Pattern.compile("(NIO|SyncThread:|ProcessThread|SessionTracker|RequestThrottler"
                    + "|ConnnectionExpirer|ConnectionExpirer|Snapshot Thread|Curator-TestingServer|Test-ZooKeeper).*");

    private ServerThreads() {}

    static boolean has(Thread thread) {
        return NAMES.matcher(thread.getName()).matches();
    }
}
