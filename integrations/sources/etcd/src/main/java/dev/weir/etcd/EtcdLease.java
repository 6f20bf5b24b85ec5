package dev.weir.etcd;

import static dev.weir.etcd.EtcdRequests.bytes;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.common.exception.ErrorCode;
import io.etcd.jetcd.common.exception.EtcdException;
import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.lease.LeaseGrantResponse;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.CmpTarget;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.PutOption;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.UUID;

/** The membership of an instance: a key that lives as long as a lease, and longer than the clients it is used with. Thread-safe. */
final class EtcdLease {
    private final EtcdRequests requests;
    private final String instance;
    private final ByteSequence key;
    private final long seconds;
    private final String token = UUID.randomUUID().toString();
    /** 0 = there is none. */
    private volatile long lease;

    EtcdLease(EtcdRequests requests, String instance, String key, long seconds) {
        this.requests = requests;
        this.instance = instance;
        this.key = bytes(key);
        this.seconds = seconds;
    }

    /** The time that a lease was renewed for, and the revision of the store then. */
    record Renewed(Duration lasts, long revision) {}

    Renewed renew(Client client) throws Exception {
        long kept = lease;
        long lasts = kept == 0 ? 0 : keptAlive(client, kept);
        if (lasts <= 0) {
            LeaseGrantResponse granted = requests.answer(client.getLeaseClient().grant(seconds));
            kept = granted.getID();
            lasts = granted.getTTL();
            lease = kept;
        }
        return new Renewed(Duration.ofSeconds(lasts), join(client, kept));
    }

    /** The seconds that it lasts; 0 if it has ended. */
    private long keptAlive(Client client, long kept) throws Exception {
        try {
            return requests.answer(client.getLeaseClient().keepAliveOnce(kept)).getTTL();
        } catch (IOException e) {
            if (e.getCause() instanceof EtcdException refused && refused.getErrorCode() == ErrorCode.NOT_FOUND) {
                return 0;
            }
            throw e;
        }
    }

    /** The value names the lease, so that a key of an older lease, which would vanish with that, is replaced. */
    private long join(Client client, long kept) throws Exception {
        ByteSequence value = bytes(token + ' ' + kept);
        TxnResponse found = requests.answer(client.getKVClient()
                .txn()
                .If(new Cmp(key, Cmp.Op.EQUAL, CmpTarget.value(value)))
                .Else(Op.get(key, GetOption.DEFAULT))
                .commit());
        if (found.isSucceeded()) {
            return found.getHeader().getRevision();
        }
        long old = 0;
        for (KeyValue pair : found.getGetResponses().get(0).getKvs()) {
            if (!pair.getValue().toString(StandardCharsets.UTF_8).startsWith(token)) {
                throw new IllegalStateException("instance " + instance + " is a member already");
            }
            old = pair.getModRevision();
        }
        TxnResponse put = requests.answer(client.getKVClient()
                .txn()
                .If(new Cmp(key, Cmp.Op.EQUAL, CmpTarget.modRevision(old)))
                .Then(Op.put(key, value, PutOption.builder().withLeaseId(kept).build()))
                .commit());
        if (!put.isSucceeded()) {
            throw new IOException("the key of instance " + instance + " has changed meanwhile");
        }
        return put.getHeader().getRevision();
    }

    /** Ends the membership, if the server answers within a second. Also after the requests were closed. */
    void revoke(Client client) {
        long last = lease;
        lease = 0;
        EtcdRequests.revoke(client, last);
    }
}
