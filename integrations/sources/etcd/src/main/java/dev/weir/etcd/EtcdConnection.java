package dev.weir.etcd;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.Lease;
import io.etcd.jetcd.lease.LeaseKeepAliveResponse;
import io.etcd.jetcd.options.PutOption;
import io.etcd.jetcd.options.WatchOption;
import io.etcd.jetcd.support.CloseableClient;
import io.grpc.stub.StreamObserver;
import org.jspecify.annotations.Nullable;

/** The watch and the lease of one client. */
final class EtcdConnection {
    private static final int LEASE_SECONDS = 10;

    private final Client client;
    private final EtcdRequests requests;
    private final Runnable signal;
    private final EtcdWatch watch;
    private final Object lock = new Object();

    @GuardedBy("lock")
    private boolean closed;

    @GuardedBy("lock")
    private @Nullable CloseableClient keepAlive;

    @GuardedBy("lock")
    private long lease;

    /** {@code signal} is called on any thread and must not block. */
    EtcdConnection(Client client, EtcdRequests requests, Runnable signal) {
        this.client = client;
        this.requests = requests;
        this.signal = signal;
        this.watch = new EtcdWatch(client, response -> signal.run(), signal);
    }

    Client client() {
        return client;
    }

    /** Watches from this revision, if no watch is in force. */
    void watch(ByteSequence key, long revision) {
        watch.begin(key, WatchOption.builder(), revision);
    }

    boolean hasLease() {
        synchronized (lock) {
            return lease != 0;
        }
    }

    /** With the lease, which is asked for if there is none. */
    void put(ByteSequence key, ByteSequence value) throws Exception {
        long granted;
        synchronized (lock) {
            granted = lease;
        }
        if (granted == 0) {
            granted = grant();
        }
        try {
            requests.answer(client.getKVClient()
                    .put(key, value, PutOption.builder().withLeaseId(granted).build()));
        } catch (Exception e) {
            forget(granted);
            throw e;
        }
    }

    private long grant() throws Exception {
        Lease leases = client.getLeaseClient();
        long granted = requests.answer(leases.grant(LEASE_SECONDS)).getID();
        CloseableClient kept = leases.keepAlive(granted, new StreamObserver<>() {
            @Override
            public void onNext(LeaseKeepAliveResponse response) {}

            @Override
            public void onError(Throwable failure) {
                leaseEnded(granted);
            }

            @Override
            public void onCompleted() {
                leaseEnded(granted);
            }
        });
        CloseableClient unused;
        synchronized (lock) {
            unused = closed ? kept : keepAlive;
            keepAlive = kept;
            lease = granted;
        }
        if (unused != null) {
            unused.close();
        }
        return granted;
    }

    private void leaseEnded(long ended) {
        if (forget(ended)) {
            signal.run();
        }
    }

    private boolean forget(long ended) {
        synchronized (lock) {
            if (lease != ended) {
                return false;
            }
            lease = 0;
            return true;
        }
    }

    /** Removes what was put, if the server answers within a second. */
    void revoke() {
        long last;
        synchronized (lock) {
            last = lease;
            lease = 0;
        }
        EtcdRequests.revoke(client, last);
    }

    /** Ends the watch and lets the lease expire. The client stays open. */
    void close() {
        CloseableClient oldKeepAlive;
        synchronized (lock) {
            closed = true;
            oldKeepAlive = keepAlive;
            lease = 0;
        }
        watch.close();
        if (oldKeepAlive != null) {
            oldKeepAlive.close();
        }
    }
}
