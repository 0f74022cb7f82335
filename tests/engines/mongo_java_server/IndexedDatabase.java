import de.bwaldvogel.mongo.backend.CollectionOptions;
import de.bwaldvogel.mongo.backend.CursorRegistry;
import de.bwaldvogel.mongo.backend.DatabaseResolver;
import de.bwaldvogel.mongo.backend.memory.MemoryCollection;
import de.bwaldvogel.mongo.backend.memory.MemoryDatabase;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.oplog.Oplog;
import io.netty.channel.Channel;
import java.util.List;

/** A database of collections with indexes, which aggregations that begin with a match use as well. */
final class IndexedDatabase extends MemoryDatabase {

    IndexedDatabase(String name, CursorRegistry cursors) {
        super(name, cursors);
    }

    @Override
    protected MemoryCollection openOrCreateCollection(String name, CollectionOptions options) {
        return new IndexedCollection(this, name, options, cursorRegistry);
    }

    @Override
    public Document handleCommand(
            Channel channel, String command, Document query, DatabaseResolver databases, Oplog oplog) {
        boolean isMatch = command.equals("aggregate") && query.get("pipeline") instanceof List<?> stages
            && !stages.isEmpty() && stages.get(0) instanceof Document stage && stage.get("$match") instanceof Document;
        if (!isMatch || !(query.get(command) instanceof String name)
                || !(resolveCollection(name, false) instanceof IndexedCollection collection)) {
            return super.handleCommand(channel, command, query, databases, oplog);
        }
        var first = (Document) ((List<?>) query.get("pipeline")).get(0);
        collection.expectMatch((Document) first.get("$match"));
        try {
            return super.handleCommand(channel, command, query, databases, oplog);
        } finally {
            collection.expectMatch(null);
        }
    }
}
