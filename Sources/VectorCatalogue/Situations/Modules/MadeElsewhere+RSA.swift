// Written by Fixtures/made-elsewhere, and never by hand.

extension MadeElsewhere {
    static let modulus = #"""
        c7698d04ad0b9552c54623dc992871bf6d45e31f1a2c9dd3abc70dc9521ad656f105b956dff1223b9654d2a28bd0bd82b3d730c9bd\#
        de796de0cc35b1835c3644fc29fe633b45da35f7858f8002606d64e7324c23f354b69c03fce84a5ec24d437f75838d8500d75378bd\#
        b1b7af38a0e5c9eeb8b80bd6c610f5c1c80ab188575e2e2d3ccf4f4ca181ba72604c085d7e64e49638b6041793ca0a9c77aee60ed3\#
        66cc22072bb055695c9986d7405f70cd9ddd6d8d56558a1978244e75831b24c4ebe64e196a5fc892c7786bde301afc2d169b532c24\#
        e3ff0ee28dd4103aa8d66282feee7f03b3ab0410c399ceac26abe45c77148585ec30b724b14dbfcf0bdfca0f
        """#

    static let rsa = #"""
        [{"name":"rsa-rs256","title":"RS256, the right signature","proves":["KEY-3"],"clause":null,"given":{"algori\#
        thm":"RS256","modulus":"@modulus","exponent":"010001","message":"776861742077617320616772656564","signatur\#
        e":"69b206c002c3c594b3c4536eb4c70dfecda78c6f11f20ce8affb0c9708e5845608d13617a3797402268c52d8673cef3b3b597a\#
        bd27984ed7867e66397c565b4210f977d96af4d21518657441e2e3e5839baa14db2eb64e23ae5863af2e5c51cef9f07583a24d8cd1\#
        cd9eb954f7c3fd6d51b18e1b93e5b8ce4e8f4717bae994a7004cf121d05b38c6d673cb4dee25c18bcf033e146152eef5139ad47195\#
        4a3472a9dee0cad85f483e40b0be25f6dc1a5dff7155fdb793c54f7ada0e0d90f78bb209f601fb9353f56ec5884ad0135684956c97\#
        9d6045a2c6dca98747f2061b99ab28d8544b3255f2db45799dac6d03df11326eb7454a29e5cb053f05c35c402876"}},
        {"name":"rsa-ps256","title":"PS256, the right signature","proves":["KEY-4"],"clause":null,"given":{"algori\#
        thm":"PS256","modulus":"@modulus","exponent":"010001","message":"776861742077617320616772656564","signatur\#
        e":"78df440b5b6646ae8e30dd5fecdefb7e50bd6ef82401dd9687d1d6ee234ac7641ef32c7e52f582a69097f1ef546fd404020d9f\#
        afd89b30b70fa6806faaa8004ebb8a69fd5163693ca5e77bdbc249d5d0da4e4143e9058152b1b2f3789b0933bd0e8cc135306cdece\#
        471538639205ec433e320e2cc36cc699c58e74e77d9e71837881f72357aa70e4e5d1fa64fa25dd7943e4584a307ed3e40bfef517d2\#
        e8c77918887791f382bb63fd419f2c47cd68bcb29b720af2d35ab6f66df2a986cc423d651fa3bce62e436ee41256ee777faf1a95c0\#
        9190c412509a170eaff6477db1218d4dabda4b83760c9a6e9811408f7c3525b5b51acc77d686d5062563ed8031c5"}},
        {"name":"rsa-rs384","title":"RS384, the right signature","proves":["KEY-3"],"clause":null,"given":{"algori\#
        thm":"RS384","modulus":"@modulus","exponent":"010001","message":"776861742077617320616772656564","signatur\#
        e":"033f973f63decf9b6e916399f65d26808ed4cb55b183336c8f93988cf1f758d0ff9c99cabf350f4ea30e6c0d22ba36f41d2a0d\#
        1d066c7b9d0fb64a269d6f7e46ab9167de3ae57ff03fb8f91eaac93355d4aee1b3f3f2c74df29c065728b5b8b05fa60d1ba11e70da\#
        ad25bbb5ca60dfdd5d114a69299ff4890c33737563ac2f1a1e4b963f1f06be6facbc54742ba790f59eb2ae8a9127b433e573e95664\#
        a693ae65501fcbe6cba906689cac8ec5c1b87dee4dbb122e95267fccdc77a2c97b4c6c675679f3085cb1ac78f7db4b9e69c48e0065\#
        65994865f6ab094d8474d77c7aba732aae8bff22b7316ef430e6f9d96c17ecadf05eac5b145ddcbeda769ded00e4"}},
        {"name":"rsa-ps384","title":"PS384, the right signature","proves":["KEY-4"],"clause":null,"given":{"algori\#
        thm":"PS384","modulus":"@modulus","exponent":"010001","message":"776861742077617320616772656564","signatur\#
        e":"b45eaf821ca32fcf1245740b8b3a46ea79f30070723b2fb7916f56cb6893798eb32a78abcc3bc1a129f8104e33e7b6b6191352\#
        d1b4531d9aa9a14b316aa434c0e742b483de41f7ff8bb8deb71fa538550e7145325cab7130573a58f88c9fbf5a283750b8a7d1f26b\#
        2fbaff0748abbc37b5e0ec13d5e8df953d9441dd01a74203ea061980f9cc281f7436b8996815ba0155a087193f5b43eb268bf3544c\#
        cdd2bf0691e2046787f591b1c5bd1d0133e13ebafcf5b5d939793cde1caddc562a382c9b1cd074e81d71482fde391f191c87b603dc\#
        498eef1019cae6058b4b72334f505d53ef8656eb1e6edcfeed74834053eef2ec5bb5cc2e90c3201ad0c4181d4c13"}},
        {"name":"rsa-rs512","title":"RS512, the right signature","proves":["KEY-3"],"clause":null,"given":{"algori\#
        thm":"RS512","modulus":"@modulus","exponent":"010001","message":"776861742077617320616772656564","signatur\#
        e":"5e810d8d9e83195b03beb1634e1f8f04cbddb581be2b7aba55b5fb2a96caeb5dec83e481f7c56cbb2a9047e952ea0ecc24705a\#
        12df52d8cd713137af1f8e5861d51adb0d01469def98c33626a32b4eb22acd1b86c8195fd87f90ef9e0a884ffc62edc35977af341d\#
        2907310c7fa4f5c15355b3ed481abb53e930e2449a7302ebe520f2adba7b54be70ead2e91fcd6c6d3cbb87deb7d97bce2b480db53c\#
        841693e0900abd6d9e39f69be42e3ea1c54ec4598276ae9d5bcf5b637461a111af89744fcc7d29a702d20667f31a163cdce8938a31\#
        c6056ff49e6ecf7ebf7594abb1fa9379d229c3ee52ff17505975ea13728c6f4bc0187323e56f88c6673d0099bc7c"}},
        {"name":"rsa-ps512","title":"PS512, the right signature","proves":["KEY-4"],"clause":null,"given":{"algori\#
        thm":"PS512","modulus":"@modulus","exponent":"010001","message":"776861742077617320616772656564","signatur\#
        e":"6a4fbef72c2ced48624b86850397b9fbefb1130f9dac147640f8bf50e4978e872d87ed43ecf8ea1246b9cbb8c93a85d92ea64b\#
        b3f27cf57eb3fbbcc2f2d6c92cd4464a31b920fec5696682b3e6e796a31920672f38878d4052c6371b53e026dc9f9c4280c4482fc9\#
        14544071451b521ad63b6218c6d30f08be05937b68cfa867e11d28e497074d687aa55bfff7a02c3d2a33084a48fbc55f2b767a69e8\#
        0e54c853e646cdb97394ffaa9dd25152084b8a00fc75d10f6e31a5bbc3747b681a6705bb6a68a193a5f412950d27feabb811b69381\#
        3bd68d00e652a9f1034b421f8f85e9fc1cf7773dd1156883105bbec3c8ad36b0d3146a8a51cde7cb14e7c4ac3efa"}},
        {"name":"rsa-other-message","title":"RS256, over something else","proves":["KEY-3"],"clause":"RFC8017-8.2.\#
        2","given":{"algorithm":"RS256","modulus":"@modulus","exponent":"010001","message":"7768617420776173206167\#
        726565642e","signature":"69b206c002c3c594b3c4536eb4c70dfecda78c6f11f20ce8affb0c9708e5845608d13617a37974022\#
        68c52d8673cef3b3b597abd27984ed7867e66397c565b4210f977d96af4d21518657441e2e3e5839baa14db2eb64e23ae5863af2e5\#
        c51cef9f07583a24d8cd1cd9eb954f7c3fd6d51b18e1b93e5b8ce4e8f4717bae994a7004cf121d05b38c6d673cb4dee25c18bcf033\#
        e146152eef5139ad471954a3472a9dee0cad85f483e40b0be25f6dc1a5dff7155fdb793c54f7ada0e0d90f78bb209f601fb9353f56\#
        ec5884ad0135684956c979d6045a2c6dca98747f2061b99ab28d8544b3255f2db45799dac6d03df11326eb7454a29e5cb053f05c35\#
        c402876"}},
        {"name":"rsa-other-hash","title":"RS256, with the signature of RS384","proves":["KEY-3"],"clause":"RFC8017\#
        -8.2.2","given":{"algorithm":"RS256","modulus":"@modulus","exponent":"010001","message":"77686174207761732\#
        0616772656564","signature":"033f973f63decf9b6e916399f65d26808ed4cb55b183336c8f93988cf1f758d0ff9c99cabf350f\#
        4ea30e6c0d22ba36f41d2a0d1d066c7b9d0fb64a269d6f7e46ab9167de3ae57ff03fb8f91eaac93355d4aee1b3f3f2c74df29c0657\#
        28b5b8b05fa60d1ba11e70daad25bbb5ca60dfdd5d114a69299ff4890c33737563ac2f1a1e4b963f1f06be6facbc54742ba790f59e\#
        b2ae8a9127b433e573e95664a693ae65501fcbe6cba906689cac8ec5c1b87dee4dbb122e95267fccdc77a2c97b4c6c675679f3085c\#
        b1ac78f7db4b9e69c48e006565994865f6ab094d8474d77c7aba732aae8bff22b7316ef430e6f9d96c17ecadf05eac5b145ddcbeda\#
        769ded00e4"}},
        {"name":"rsa-crossed","title":"PS256, with the signature of RS256","proves":["KEY-4"],"clause":"RFC8017-8.\#
        1.2","given":{"algorithm":"PS256","modulus":"@modulus","exponent":"010001","message":"77686174207761732061\#
        6772656564","signature":"69b206c002c3c594b3c4536eb4c70dfecda78c6f11f20ce8affb0c9708e5845608d13617a37974022\#
        68c52d8673cef3b3b597abd27984ed7867e66397c565b4210f977d96af4d21518657441e2e3e5839baa14db2eb64e23ae5863af2e5\#
        c51cef9f07583a24d8cd1cd9eb954f7c3fd6d51b18e1b93e5b8ce4e8f4717bae994a7004cf121d05b38c6d673cb4dee25c18bcf033\#
        e146152eef5139ad471954a3472a9dee0cad85f483e40b0be25f6dc1a5dff7155fdb793c54f7ada0e0d90f78bb209f601fb9353f56\#
        ec5884ad0135684956c979d6045a2c6dca98747f2061b99ab28d8544b3255f2db45799dac6d03df11326eb7454a29e5cb053f05c35\#
        c402876"}},
        {"name":"rsa-crossed-back","title":"RS256, with the signature of PS256","proves":["KEY-3"],"clause":"RFC80\#
        17-8.2.2","given":{"algorithm":"RS256","modulus":"@modulus","exponent":"010001","message":"776861742077617\#
        320616772656564","signature":"78df440b5b6646ae8e30dd5fecdefb7e50bd6ef82401dd9687d1d6ee234ac7641ef32c7e52f5\#
        82a69097f1ef546fd404020d9fafd89b30b70fa6806faaa8004ebb8a69fd5163693ca5e77bdbc249d5d0da4e4143e9058152b1b2f3\#
        789b0933bd0e8cc135306cdece471538639205ec433e320e2cc36cc699c58e74e77d9e71837881f72357aa70e4e5d1fa64fa25dd79\#
        43e4584a307ed3e40bfef517d2e8c77918887791f382bb63fd419f2c47cd68bcb29b720af2d35ab6f66df2a986cc423d651fa3bce6\#
        2e436ee41256ee777faf1a95c09190c412509a170eaff6477db1218d4dabda4b83760c9a6e9811408f7c3525b5b51acc77d686d506\#
        2563ed8031c5"}},
        {"name":"rsa-cut","title":"RS256, without its last byte","proves":["KEY-3"],"clause":"RFC8017-8.2.2","give\#
        n":{"algorithm":"RS256","modulus":"@modulus","exponent":"010001","message":"776861742077617320616772656564\#
        ","signature":"69b206c002c3c594b3c4536eb4c70dfecda78c6f11f20ce8affb0c9708e5845608d13617a3797402268c52d8673\#
        cef3b3b597abd27984ed7867e66397c565b4210f977d96af4d21518657441e2e3e5839baa14db2eb64e23ae5863af2e5c51cef9f07\#
        583a24d8cd1cd9eb954f7c3fd6d51b18e1b93e5b8ce4e8f4717bae994a7004cf121d05b38c6d673cb4dee25c18bcf033e146152eef\#
        5139ad471954a3472a9dee0cad85f483e40b0be25f6dc1a5dff7155fdb793c54f7ada0e0d90f78bb209f601fb9353f56ec5884ad01\#
        35684956c979d6045a2c6dca98747f2061b99ab28d8544b3255f2db45799dac6d03df11326eb7454a29e5cb053f05c35c4028"}},
        {"name":"rsa-extended","title":"RS256, with a zero in front","proves":["KEY-3"],"clause":"RFC8017-8.2.2","\#
        given":{"algorithm":"RS256","modulus":"@modulus","exponent":"010001","message":"77686174207761732061677265\#
        6564","signature":"0069b206c002c3c594b3c4536eb4c70dfecda78c6f11f20ce8affb0c9708e5845608d13617a3797402268c5\#
        2d8673cef3b3b597abd27984ed7867e66397c565b4210f977d96af4d21518657441e2e3e5839baa14db2eb64e23ae5863af2e5c51c\#
        ef9f07583a24d8cd1cd9eb954f7c3fd6d51b18e1b93e5b8ce4e8f4717bae994a7004cf121d05b38c6d673cb4dee25c18bcf033e146\#
        152eef5139ad471954a3472a9dee0cad85f483e40b0be25f6dc1a5dff7155fdb793c54f7ada0e0d90f78bb209f601fb9353f56ec58\#
        84ad0135684956c979d6045a2c6dca98747f2061b99ab28d8544b3255f2db45799dac6d03df11326eb7454a29e5cb053f05c35c402\#
        876"}},
        {"name":"rsa-zero","title":"RS256, of zeros","proves":["KEY-3"],"clause":"RFC8017-8.2.2","given":{"algorit\#
        hm":"RS256","modulus":"@modulus","exponent":"010001","message":"776861742077617320616772656564","signature\#
        ":"0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000\#
        0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000\#
        0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000\#
        0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000\#
        0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"}},
        {"name":"rsa-modulus","title":"RS256, a signature that is the modulus","proves":["KEY-3"],"clause":"RFC801\#
        7-8.2.2","given":{"algorithm":"RS256","modulus":"@modulus","exponent":"010001","message":"7768617420776173\#
        20616772656564","signature":"c7698d04ad0b9552c54623dc992871bf6d45e31f1a2c9dd3abc70dc9521ad656f105b956dff12\#
        23b9654d2a28bd0bd82b3d730c9bdde796de0cc35b1835c3644fc29fe633b45da35f7858f8002606d64e7324c23f354b69c03fce84\#
        a5ec24d437f75838d8500d75378bdb1b7af38a0e5c9eeb8b80bd6c610f5c1c80ab188575e2e2d3ccf4f4ca181ba72604c085d7e64e\#
        49638b6041793ca0a9c77aee60ed366cc22072bb055695c9986d7405f70cd9ddd6d8d56558a1978244e75831b24c4ebe64e196a5fc\#
        892c7786bde301afc2d169b532c24e3ff0ee28dd4103aa8d66282feee7f03b3ab0410c399ceac26abe45c77148585ec30b724b14db\#
        fcf0bdfca0f"}},
        {"name":"rsa-above-modulus","title":"RS256, a number above the modulus","proves":["KEY-3"],"clause":"RFC80\#
        17-8.2.2","given":{"algorithm":"RS256","modulus":"@modulus","exponent":"010001","message":"776861742077617\#
        320616772656564","signature":"c7698d04ad0b9552c54623dc992871bf6d45e31f1a2c9dd3abc70dc9521ad656f105b956dff1\#
        223b9654d2a28bd0bd82b3d730c9bdde796de0cc35b1835c3644fc29fe633b45da35f7858f8002606d64e7324c23f354b69c03fce8\#
        4a5ec24d437f75838d8500d75378bdb1b7af38a0e5c9eeb8b80bd6c610f5c1c80ab188575e2e2d3ccf4f4ca181ba72604c085d7e64\#
        e49638b6041793ca0a9c77aee60ed366cc22072bb055695c9986d7405f70cd9ddd6d8d56558a1978244e75831b24c4ebe64e196a5f\#
        c892c7786bde301afc2d169b532c24e3ff0ee28dd4103aa8d66282feee7f03b3ab0410c399ceac26abe45c77148585ec30b724b14d\#
        bfcf0bdfca10"}},
        {"name":"rsa-without-null","title":"RS256, whose encoded hash has no parameters","proves":["KEY-3"],"claus\#
        e":"RFC8017-8.2.2","given":{"algorithm":"RS256","modulus":"@modulus","exponent":"010001","message":"776861\#
        742077617320616772656564","signature":"6e8e6f08c8a88389bb2b687b477a082dd8ab9cccbd89bb5cd5bef5aace105f1dfa4\#
        50be68359c3ece640a6ba6429a20466e6001baa52c0d744ada0a21465d3edb42937c73c268145be0a1c3f8ae52309e6e78db4ed4dd\#
        1cedce4b7e30cc27ae47c727b079ec04c15eb70a71add126f22216ae790113ac27383ce308c2eee1e3f5289fe8ca06be85d019a0f3\#
        aaa29d4781afef7cb09e27f13df1ddaa6ba03d02c2fe18960a2537bd2a1c15b388541d936261e8fe8f0433449d101b2636a1564eb0\#
        e4f4373b03b4a454735a910c9a53cae6827a531fdd9a81e4fa84839e336fbcb3522862f62dcb6b26ae2b4d4960216c8221d7ee4b81\#
        a9d12198438245ed32439"}},
        {"name":"rsa-bare-hash","title":"RS256, whose hash is not encoded","proves":["KEY-3"],"clause":"RFC8017-8.\#
        2.2","given":{"algorithm":"RS256","modulus":"@modulus","exponent":"010001","message":"77686174207761732061\#
        6772656564","signature":"3bfa8ff4429ea23c17e7899bf1c739511d7b3fe652fee6d0613ac73ab8b1e885fc6ffcc754cc0ce29\#
        7ad3e61fcce003bbe0bb4c58636c4d9d7dd9bac9bd9e111b38b0e37312399718839dcef7407ee7bfd3e97fcec1071c4e653b098418\#
        8b248d9a35764d92dad91c6a1957d55d96a714acdb62828de627d3540febffaba8b14f17eb6b4cbfb7fa1f1c04d2bee959cfe59f49\#
        c30b17a5ccca8f5ca5b8aa42e53f84a5ec079bf5bd57274c8d5e1259533834a4051a305350e4b7a0ced0777966ae034461a8f99605\#
        79b3e0f55562c314124bab260db859ecabc26c2367eaf915245d607f6b402535ded3873387dc46e055e3ddc0db2a0c44d925e40a6a\#
        8185989"}},
        {"name":"rsa-short-padding","title":"RS256, with the hash in front and something behind it","proves":["KEY\#
        -3"],"clause":"RFC8017-8.2.2","given":{"algorithm":"RS256","modulus":"@modulus","exponent":"010001","messa\#
        ge":"776861742077617320616772656564","signature":"7d9c9bbe09e2cb962ae88dfd4b005eea78e6a54492d459009e02cea2\#
        e3617aefeb2fd823c92c5002bc096a6c72c70be20091d3737bc8ed46ceb758e9acd41e06cc06179dc3c048f1001419dd511336ce59\#
        c6c44b850abeb2150836988c060bd1200eddf74efb5c693b24d21df684d66a23b76ae8149200dcf4aebc433bc254629b6adc7e8002\#
        132d762ea98c7a0beb145b102e3a0a1d594ee33ceb0fd96f23b36ca1c4c145b46dd0bf366d9d5cc58eb8b1dc084f80f2297479df7d\#
        57797823fa5d6665690f888eb372b0934b69991069b7d0c04a6defe5e4c4ea8ec318cc6853b1b6c343fd4bc092fde8db6cbb549eca\#
        90216e030182f6b75cde1941f9f0b7ac"}},
        {"name":"rsa-other-padding","title":"RS256, with one other byte of padding","proves":["KEY-3"],"clause":"R\#
        FC8017-8.2.2","given":{"algorithm":"RS256","modulus":"@modulus","exponent":"010001","message":"77686174207\#
        7617320616772656564","signature":"37af25671fd3b9fb1cf379260e6bc9341753eee91a36bccfdf4df443c08066524293ef00\#
        e77bc80682cb4e86d63ab8a2a714f54f09d3ece6bcba0c2e1611307ea539252fd29f0874e2add10997353450a41705d475eb72c8e1\#
        c5abefa2da5942a6003a0fd9f13f43b9a61d7fdc1a73504dd05f9ab16fb490673462608cc634ac7d4622283d2218bc639adbf21447\#
        524d6d5038dfed6c773531294079a107d120b1346f18b65bdd3e4123bf995745b3cfb8530bb263cf70756b93f5aeda6b4a07912c19\#
        a21f840d433e0beeccd5fd1cd3fcedeaaed26e77c704e0a0ef1718f086791e1ea3e80b60f6103d38b53b84e6916c833630aca7dd1c\#
        ee906dd1bc33579a"}},
        {"name":"rsa-pss-no-salt","title":"PS256, without a salt","proves":["KEY-4"],"clause":"RFC8017-8.1.2","giv\#
        en":{"algorithm":"PS256","modulus":"@modulus","exponent":"010001","message":"77686174207761732061677265656\#
        4","signature":"1eb65a0a404256fac5e9badf9ffcd4f6b36ad5cf1377b1f0a0bcfc5bd63f51d15fc4a1e27f1ce5f052189d6197\#
        c5f59c8ad539850637815d241252fcb144d00860dc6d1acbcb1bc3afd2c5cfa316b08572fc5fb33b01617b17b9396bce3045f645c4\#
        fa153c69f3122289fc4c4e2c283b94047349aec09a8a222643c8a5a4bbbbb7fd8f3bf73c65d77dc98fbcce73d67015833ed25cdd52\#
        c7474e6765541bc87a55aecf7138badabea5008ff9614a37ea069af0ca881ee1ac3604cf8700a177941ade04b32ca97d34d6d3ac38\#
        cc94a13246590a0ab001036f646b78c1db613edd77d1a1c011261500041418a5aac5ba2377f98700188dc2c8fcdfec4a4902db5f"}\#
        },
        {"name":"rsa-pss-short-salt","title":"PS256, with a salt of 20 bytes","proves":["KEY-4"],"clause":"RFC8017\#
        -8.1.2","given":{"algorithm":"PS256","modulus":"@modulus","exponent":"010001","message":"77686174207761732\#
        0616772656564","signature":"379891d0e53834f732d06238c490b5b2370e4267c72fcaa6ba81becdeb1839825878fe9abd6c08\#
        6e5c6673a854ccedb4110b5a91dee0ad27bc1cff371c161a8729faf26a1893daf57effdf20a4f03134047b104c258f2391737da354\#
        dfd01f108f5911754d405b108c289ef95fc7d2f917031305688dd417513945d3a4e7ddc4248857763a6c49efa1f8ca17fbaa9f2980\#
        27233d8557035f9cb6b26348abcbdaadb0fdf81589ab809d7347513d258cfc42fdbfb6d7e7c548c18a9569253a325a49dac2240c09\#
        a12cf7d603d4fc90362afb72e42f9c91dff73617c9ef90f5c70e4556edb1b2dc952a2dc1d048337e7f964b1a4e6a4ce11abe65f309\#
        f1ad528e45"}},
        {"name":"rsa-pss-long-salt","title":"PS256, with a salt of 33 bytes","proves":["KEY-4"],"clause":"RFC8017-\#
        8.1.2","given":{"algorithm":"PS256","modulus":"@modulus","exponent":"010001","message":"776861742077617320\#
        616772656564","signature":"2e78ee39d07aa6e2ec664e55008b7f7c3093ee5a99a44f16f137e7c8eae82524d6cced5a2598464\#
        18326f5dd91c7f945ad758062c6e8f41d1f566a5b079c5f20dc52698929b0cd94bd57c939a5a921a462a522f07a6d96e9daa156352\#
        ee1597d980538a4fa34c65f8b6840ff202303b2e6e258b345ff4cf103f19af3523d02ba005dbe11df8062b5ee28836c1f709c75e1a\#
        ef2cbc48bb401982642757409d123e03ca31a76c304ddba4c53138e56357dafd7129c053ed90f1a16dde7164fb2048b0b5fde3b9e9\#
        417c018ebdf094274e6215b098d71e639f7a7754a9d93b58e3ea33c81d55cf324f2b198bf0fb45e5e7d79f488c818128d3cb7f6006\#
        97bcddbe8"}},
        {"name":"rsa-pss-other-mask","title":"PS256, whose mask is made with SHA-512","proves":["KEY-4"],"clause":\#
        "RFC8017-8.1.2","given":{"algorithm":"PS256","modulus":"@modulus","exponent":"010001","message":"776861742\#
        077617320616772656564","signature":"ad175558130e4547dd22e106a5b4ebe2eb292eb4c1310c120b0e9bc3a5514b69a4464d\#
        490884c28d305861c55231965c1cc355ca03f036b321901766744e1fe34dc074a4939a50f76f6f4f6de92851e157bde44cae2b4369\#
        f53a3c4ac54b005ea02255e26141fcfd0e61a2a612292d8508076b1a7f8d21ba146c2c376875fa6d946c94201b0993c9d52f4915aa\#
        182db2250c772c0d1d739288e4eae09fd52844b1f3443021397fcc9efcce3c85e3ee593aafd75e2776979da6709db1625a53a23525\#
        bca43f1962ae71ccf061170d1fb376021a388f0d2009c1f90642f316350dd1c19290bbd0e2ee5d44a89a4bf2fa87ebea22574ba946\#
        3201a412aed60a4be5"}},
        {"name":"rsa-pss-other-trailer","title":"PS256, whose last byte is another","proves":["KEY-4"],"clause":"R\#
        FC8017-8.1.2","given":{"algorithm":"PS256","modulus":"@modulus","exponent":"010001","message":"77686174207\#
        7617320616772656564","signature":"2a6beafdcb3f0c364511bfb47d8b6f5bd37a5574cb7c6daa4ad22d4ed4c49119a310aa84\#
        61d6910e9d90b014ff46d33bbb0e88e6ab2a3531d7c6d4f4d880d35f0d4f68df24512e4529cece89e5df0a80c85b35988e25ca6230\#
        6a7e3dc8c8fb5a934070134fee90f3aac448e219749911a50c6860ae665af333d80d052ac3d2c64eefe4fee1b8b025a880a16dbe59\#
        ce501d7fcb521f171e0345f5f37edefff41407a74f9da89394dcd362d6686febd03fc759b9cb918b44641dd56e18a66b8879488d89\#
        dbd38691034c392c43780239ef4be3ae7377dbd29e73b0b73fa93094abb5a826b1db31bb015ac77b004ccdcac489d6319d1dbac8f5\#
        45639dfede988815"}},
        {"name":"rsa-pss-top-bit","title":"PS256, with its highest bit set","proves":["KEY-4"],"clause":"RFC8017-8\#
        .1.2","given":{"algorithm":"PS256","modulus":"@modulus","exponent":"010001","message":"7768617420776173206\#
        16772656564","signature":"c4d0183277738505cb3132aaaaf287e92de6e060bc2365fedd3333bfd5117ba3ccd83b28f790b196\#
        d219233662caae33004f594e676eac237fc8282dfbf0ae559bb1eaa8491bdfe6ee63f1bba30b24a3c3c0009b865765b41b26fe6185\#
        4de15e366c6472c3019a3b463aed7efd06a3098524330eb58c088458b76b3f71ca5e450d7dc0e063f145b1cf38aae037b648f7a007\#
        db67172f5408de220e6598b5ac9761ae055e6ece78999bfa5d181d44f87e665be0bd91c4ddc2b8370026995101e316287f512d3df5\#
        4cbec409efc01f6bf69de747cf5f859a639605d6d14e48f4ac7300978c23de5b2b36c13ccb9eabbc7dc2f577f07669b65ea26857a2\#
        0f48893e"}},
        {"name":"rsa-pss-other-start","title":"PS256, with a two in the place of the one before the salt","proves"\#
        :["KEY-4"],"clause":"RFC8017-8.1.2","given":{"algorithm":"PS256","modulus":"@modulus","exponent":"010001",\#
        "message":"776861742077617320616772656564","signature":"0bcfa5a7e61f0b37e0e25961de381127a57db41fe7ee333013\#
        dd636497464278a5e1c30fa2f43491af383e06a7986abd3a6cedc3922c1928442a64cb5974117bbdd91da4eeb87aea5886b7030bdd\#
        185b7142a04c2603c48866d288d8bb3624af31971dd5d5a325a5c1f1716dc78e2a7cf4447079fb0647eb53c7d31ad4b036660b051a\#
        c67730513cef21c1ecfb55c1f698bc1cc485655b16a665d2f3172735275f0595bcf4238e46dd3e0f06d237db1d9b2e49a971bdb7d6\#
        fd0d8ca9f55dd554cba54e18114699a488d9996a6f82cecf0bae1e66675dfc4d83bc84f21b3f9e47feafaddd510b2dff6d993c00c5\#
        8f9dbdeed98786957455d841032e676addcdc1"}},
        {"name":"rsa-pss-other-fill","title":"PS256, with ones in the place of the zeros","proves":["KEY-4"],"clau\#
        se":"RFC8017-8.1.2","given":{"algorithm":"PS256","modulus":"@modulus","exponent":"010001","message":"77686\#
        1742077617320616772656564","signature":"be45ee2ec2111a3cdd2a67efe67427ecdc5f569ebe5a5e3817accc1d6cede8f7ab\#
        e59aee99268d08e1d8cc8583e2734e9fcd77912b644f9586d5eb62cf136fe1c07b56ed9613fb917e22ad6a6d0ea84bdd63024acadb\#
        2cf065091b9db8a9b7d5bd36ed1d484931408af17f24de0d178b48d81bfdc8c99e6068a723179cfc1e1659411620c952fced515f93\#
        c2f738b2c595f2c5b197a8c2ae38d6c0aa60e4da48afe9eb2cec3d98dd04ddd887c2f094111e61257867c74ceacfc8826bbec08553\#
        e1643b388f81e22a89aab6a76bfd235888c531472dc7a000e770b86b55832845d5659087521150b829e85ed319577678281042ee62\#
        2be0c8bdf9fe2c43dbdc2e"}},
        {"name":"rsa-key-short","title":"with a key that has a modulus of 2047 bits","proves":["KEY-3","KEY-12"],"\#
        clause":"RFC7518-3.3","given":{"algorithm":"RS256","modulus":"7f698d04ad0b9552c54623dc992871bf6d45e31f1a2c\#
        9dd3abc70dc9521ad656f105b956dff1223b9654d2a28bd0bd82b3d730c9bdde796de0cc35b1835c3644fc29fe633b45da35f7858f\#
        8002606d64e7324c23f354b69c03fce84a5ec24d437f75838d8500d75378bdb1b7af38a0e5c9eeb8b80bd6c610f5c1c80ab188575e\#
        2e2d3ccf4f4ca181ba72604c085d7e64e49638b6041793ca0a9c77aee60ed366cc22072bb055695c9986d7405f70cd9ddd6d8d5655\#
        8a1978244e75831b24c4ebe64e196a5fc892c7786bde301afc2d169b532c24e3ff0ee28dd4103aa8d66282feee7f03b3ab0410c399\#
        ceac26abe45c77148585ec30b724b14dbfcf0bdfca0f","exponent":"010001","message":"77686174207761732061677265656\#
        4","signature":"69b206c002c3c594b3c4536eb4c70dfecda78c6f11f20ce8affb0c9708e5845608d13617a3797402268c52d867\#
        3cef3b3b597abd27984ed7867e66397c565b4210f977d96af4d21518657441e2e3e5839baa14db2eb64e23ae5863af2e5c51cef9f0\#
        7583a24d8cd1cd9eb954f7c3fd6d51b18e1b93e5b8ce4e8f4717bae994a7004cf121d05b38c6d673cb4dee25c18bcf033e146152ee\#
        f5139ad471954a3472a9dee0cad85f483e40b0be25f6dc1a5dff7155fdb793c54f7ada0e0d90f78bb209f601fb9353f56ec5884ad0\#
        135684956c979d6045a2c6dca98747f2061b99ab28d8544b3255f2db45799dac6d03df11326eb7454a29e5cb053f05c35c402876"}\#
        },
        {"name":"rsa-key-long","title":"with a key that has a modulus of 8193 bits","proves":["KEY-3","KEY-12"],"c\#
        lause":"KEY-3","given":{"algorithm":"RS256","modulus":"01fffffffffffffffffffffffffffffffffffffffffffffffff\#
        ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff\#
        ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff\#
        ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff\#
        ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff\#
        ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff\#
        ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff\#
        ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff\#
        ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff\#
        ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff\#
        ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff\#
        ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff\#
        ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff\#
        ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff\#
        ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff\#
        ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff\#
        ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff\#
        ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff\#
        ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff\#
        fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff","exponent":"0\#
        10001","message":"776861742077617320616772656564","signature":"69b206c002c3c594b3c4536eb4c70dfecda78c6f11f\#
        20ce8affb0c9708e5845608d13617a3797402268c52d8673cef3b3b597abd27984ed7867e66397c565b4210f977d96af4d21518657\#
        441e2e3e5839baa14db2eb64e23ae5863af2e5c51cef9f07583a24d8cd1cd9eb954f7c3fd6d51b18e1b93e5b8ce4e8f4717bae994a\#
        7004cf121d05b38c6d673cb4dee25c18bcf033e146152eef5139ad471954a3472a9dee0cad85f483e40b0be25f6dc1a5dff7155fdb\#
        793c54f7ada0e0d90f78bb209f601fb9353f56ec5884ad0135684956c979d6045a2c6dca98747f2061b99ab28d8544b3255f2db457\#
        99dac6d03df11326eb7454a29e5cb053f05c35c402876"}},
        {"name":"rsa-key-even","title":"with a key that has an even modulus","proves":["KEY-3","KEY-12"],"clause":\#
        "RFC8017-3.1","given":{"algorithm":"RS256","modulus":"c7698d04ad0b9552c54623dc992871bf6d45e31f1a2c9dd3abc7\#
        0dc9521ad656f105b956dff1223b9654d2a28bd0bd82b3d730c9bdde796de0cc35b1835c3644fc29fe633b45da35f7858f8002606d\#
        64e7324c23f354b69c03fce84a5ec24d437f75838d8500d75378bdb1b7af38a0e5c9eeb8b80bd6c610f5c1c80ab188575e2e2d3ccf\#
        4f4ca181ba72604c085d7e64e49638b6041793ca0a9c77aee60ed366cc22072bb055695c9986d7405f70cd9ddd6d8d56558a197824\#
        4e75831b24c4ebe64e196a5fc892c7786bde301afc2d169b532c24e3ff0ee28dd4103aa8d66282feee7f03b3ab0410c399ceac26ab\#
        e45c77148585ec30b724b14dbfcf0bdfca0e","exponent":"010001","message":"776861742077617320616772656564","sign\#
        ature":"69b206c002c3c594b3c4536eb4c70dfecda78c6f11f20ce8affb0c9708e5845608d13617a3797402268c52d8673cef3b3b\#
        597abd27984ed7867e66397c565b4210f977d96af4d21518657441e2e3e5839baa14db2eb64e23ae5863af2e5c51cef9f07583a24d\#
        8cd1cd9eb954f7c3fd6d51b18e1b93e5b8ce4e8f4717bae994a7004cf121d05b38c6d673cb4dee25c18bcf033e146152eef5139ad4\#
        71954a3472a9dee0cad85f483e40b0be25f6dc1a5dff7155fdb793c54f7ada0e0d90f78bb209f601fb9353f56ec5884ad013568495\#
        6c979d6045a2c6dca98747f2061b99ab28d8544b3255f2db45799dac6d03df11326eb7454a29e5cb053f05c35c402876"}},
        {"name":"rsa-key-leading-zero","title":"with a key that has a modulus with a zero in front","proves":["KEY\#
        -3","KEY-12"],"clause":"RFC7518-6.3.1","given":{"algorithm":"RS256","modulus":"00c7698d04ad0b9552c54623dc9\#
        92871bf6d45e31f1a2c9dd3abc70dc9521ad656f105b956dff1223b9654d2a28bd0bd82b3d730c9bdde796de0cc35b1835c3644fc2\#
        9fe633b45da35f7858f8002606d64e7324c23f354b69c03fce84a5ec24d437f75838d8500d75378bdb1b7af38a0e5c9eeb8b80bd6c\#
        610f5c1c80ab188575e2e2d3ccf4f4ca181ba72604c085d7e64e49638b6041793ca0a9c77aee60ed366cc22072bb055695c9986d74\#
        05f70cd9ddd6d8d56558a1978244e75831b24c4ebe64e196a5fc892c7786bde301afc2d169b532c24e3ff0ee28dd4103aa8d66282f\#
        eee7f03b3ab0410c399ceac26abe45c77148585ec30b724b14dbfcf0bdfca0f","exponent":"010001","message":"7768617420\#
        77617320616772656564","signature":"69b206c002c3c594b3c4536eb4c70dfecda78c6f11f20ce8affb0c9708e5845608d1361\#
        7a3797402268c52d8673cef3b3b597abd27984ed7867e66397c565b4210f977d96af4d21518657441e2e3e5839baa14db2eb64e23a\#
        e5863af2e5c51cef9f07583a24d8cd1cd9eb954f7c3fd6d51b18e1b93e5b8ce4e8f4717bae994a7004cf121d05b38c6d673cb4dee2\#
        5c18bcf033e146152eef5139ad471954a3472a9dee0cad85f483e40b0be25f6dc1a5dff7155fdb793c54f7ada0e0d90f78bb209f60\#
        1fb9353f56ec5884ad0135684956c979d6045a2c6dca98747f2061b99ab28d8544b3255f2db45799dac6d03df11326eb7454a29e5c\#
        b053f05c35c402876"}},
        {"name":"rsa-key-exponent-one","title":"with a key that has an exponent of one","proves":["KEY-3","KEY-12"\#
        ],"clause":"RFC8017-3.1","given":{"algorithm":"RS256","modulus":"c7698d04ad0b9552c54623dc992871bf6d45e31f1\#
        a2c9dd3abc70dc9521ad656f105b956dff1223b9654d2a28bd0bd82b3d730c9bdde796de0cc35b1835c3644fc29fe633b45da35f78\#
        58f8002606d64e7324c23f354b69c03fce84a5ec24d437f75838d8500d75378bdb1b7af38a0e5c9eeb8b80bd6c610f5c1c80ab1885\#
        75e2e2d3ccf4f4ca181ba72604c085d7e64e49638b6041793ca0a9c77aee60ed366cc22072bb055695c9986d7405f70cd9ddd6d8d5\#
        6558a1978244e75831b24c4ebe64e196a5fc892c7786bde301afc2d169b532c24e3ff0ee28dd4103aa8d66282feee7f03b3ab0410c\#
        399ceac26abe45c77148585ec30b724b14dbfcf0bdfca0f","exponent":"01","message":"776861742077617320616772656564\#
        ","signature":"69b206c002c3c594b3c4536eb4c70dfecda78c6f11f20ce8affb0c9708e5845608d13617a3797402268c52d8673\#
        cef3b3b597abd27984ed7867e66397c565b4210f977d96af4d21518657441e2e3e5839baa14db2eb64e23ae5863af2e5c51cef9f07\#
        583a24d8cd1cd9eb954f7c3fd6d51b18e1b93e5b8ce4e8f4717bae994a7004cf121d05b38c6d673cb4dee25c18bcf033e146152eef\#
        5139ad471954a3472a9dee0cad85f483e40b0be25f6dc1a5dff7155fdb793c54f7ada0e0d90f78bb209f601fb9353f56ec5884ad01\#
        35684956c979d6045a2c6dca98747f2061b99ab28d8544b3255f2db45799dac6d03df11326eb7454a29e5cb053f05c35c402876"}},
        {"name":"rsa-key-exponent-even","title":"with a key that has an even exponent","proves":["KEY-3","KEY-12"]\#
        ,"clause":"RFC8017-3.1","given":{"algorithm":"RS256","modulus":"c7698d04ad0b9552c54623dc992871bf6d45e31f1a\#
        2c9dd3abc70dc9521ad656f105b956dff1223b9654d2a28bd0bd82b3d730c9bdde796de0cc35b1835c3644fc29fe633b45da35f785\#
        8f8002606d64e7324c23f354b69c03fce84a5ec24d437f75838d8500d75378bdb1b7af38a0e5c9eeb8b80bd6c610f5c1c80ab18857\#
        5e2e2d3ccf4f4ca181ba72604c085d7e64e49638b6041793ca0a9c77aee60ed366cc22072bb055695c9986d7405f70cd9ddd6d8d56\#
        558a1978244e75831b24c4ebe64e196a5fc892c7786bde301afc2d169b532c24e3ff0ee28dd4103aa8d66282feee7f03b3ab0410c3\#
        99ceac26abe45c77148585ec30b724b14dbfcf0bdfca0f","exponent":"010000","message":"776861742077617320616772656\#
        564","signature":"69b206c002c3c594b3c4536eb4c70dfecda78c6f11f20ce8affb0c9708e5845608d13617a3797402268c52d8\#
        673cef3b3b597abd27984ed7867e66397c565b4210f977d96af4d21518657441e2e3e5839baa14db2eb64e23ae5863af2e5c51cef9\#
        f07583a24d8cd1cd9eb954f7c3fd6d51b18e1b93e5b8ce4e8f4717bae994a7004cf121d05b38c6d673cb4dee25c18bcf033e146152\#
        eef5139ad471954a3472a9dee0cad85f483e40b0be25f6dc1a5dff7155fdb793c54f7ada0e0d90f78bb209f601fb9353f56ec5884a\#
        d0135684956c979d6045a2c6dca98747f2061b99ab28d8544b3255f2db45799dac6d03df11326eb7454a29e5cb053f05c35c402876\#
        "}},
        {"name":"rsa-key-exponent-large","title":"with a key that has an exponent of 33 bits","proves":["KEY-3","K\#
        EY-12"],"clause":"KEY-3","given":{"algorithm":"RS256","modulus":"c7698d04ad0b9552c54623dc992871bf6d45e31f1\#
        a2c9dd3abc70dc9521ad656f105b956dff1223b9654d2a28bd0bd82b3d730c9bdde796de0cc35b1835c3644fc29fe633b45da35f78\#
        58f8002606d64e7324c23f354b69c03fce84a5ec24d437f75838d8500d75378bdb1b7af38a0e5c9eeb8b80bd6c610f5c1c80ab1885\#
        75e2e2d3ccf4f4ca181ba72604c085d7e64e49638b6041793ca0a9c77aee60ed366cc22072bb055695c9986d7405f70cd9ddd6d8d5\#
        6558a1978244e75831b24c4ebe64e196a5fc892c7786bde301afc2d169b532c24e3ff0ee28dd4103aa8d66282feee7f03b3ab0410c\#
        399ceac26abe45c77148585ec30b724b14dbfcf0bdfca0f","exponent":"0100000001","message":"7768617420776173206167\#
        72656564","signature":"69b206c002c3c594b3c4536eb4c70dfecda78c6f11f20ce8affb0c9708e5845608d13617a3797402268\#
        c52d8673cef3b3b597abd27984ed7867e66397c565b4210f977d96af4d21518657441e2e3e5839baa14db2eb64e23ae5863af2e5c5\#
        1cef9f07583a24d8cd1cd9eb954f7c3fd6d51b18e1b93e5b8ce4e8f4717bae994a7004cf121d05b38c6d673cb4dee25c18bcf033e1\#
        46152eef5139ad471954a3472a9dee0cad85f483e40b0be25f6dc1a5dff7155fdb793c54f7ada0e0d90f78bb209f601fb9353f56ec\#
        5884ad0135684956c979d6045a2c6dca98747f2061b99ab28d8544b3255f2db45799dac6d03df11326eb7454a29e5cb053f05c35c4\#
        02876"}},
        {"name":"rsa-key-exponent-zero","title":"with a key that has an exponent with a zero in front","proves":["\#
        KEY-3","KEY-12"],"clause":"RFC7518-6.3.1","given":{"algorithm":"RS256","modulus":"c7698d04ad0b9552c54623dc\#
        992871bf6d45e31f1a2c9dd3abc70dc9521ad656f105b956dff1223b9654d2a28bd0bd82b3d730c9bdde796de0cc35b1835c3644fc\#
        29fe633b45da35f7858f8002606d64e7324c23f354b69c03fce84a5ec24d437f75838d8500d75378bdb1b7af38a0e5c9eeb8b80bd6\#
        c610f5c1c80ab188575e2e2d3ccf4f4ca181ba72604c085d7e64e49638b6041793ca0a9c77aee60ed366cc22072bb055695c9986d7\#
        405f70cd9ddd6d8d56558a1978244e75831b24c4ebe64e196a5fc892c7786bde301afc2d169b532c24e3ff0ee28dd4103aa8d66282\#
        feee7f03b3ab0410c399ceac26abe45c77148585ec30b724b14dbfcf0bdfca0f","exponent":"00010001","message":"7768617\#
        42077617320616772656564","signature":"69b206c002c3c594b3c4536eb4c70dfecda78c6f11f20ce8affb0c9708e5845608d1\#
        3617a3797402268c52d8673cef3b3b597abd27984ed7867e66397c565b4210f977d96af4d21518657441e2e3e5839baa14db2eb64e\#
        23ae5863af2e5c51cef9f07583a24d8cd1cd9eb954f7c3fd6d51b18e1b93e5b8ce4e8f4717bae994a7004cf121d05b38c6d673cb4d\#
        ee25c18bcf033e146152eef5139ad471954a3472a9dee0cad85f483e40b0be25f6dc1a5dff7155fdb793c54f7ada0e0d90f78bb209\#
        f601fb9353f56ec5884ad0135684956c979d6045a2c6dca98747f2061b99ab28d8544b3255f2db45799dac6d03df11326eb7454a29\#
        e5cb053f05c35c402876"}},
        {"name":"rsa-key-exponent-empty","title":"with a key that has no exponent","proves":["KEY-3","KEY-12"],"cl\#
        ause":"RFC8017-3.1","given":{"algorithm":"RS256","modulus":"c7698d04ad0b9552c54623dc992871bf6d45e31f1a2c9d\#
        d3abc70dc9521ad656f105b956dff1223b9654d2a28bd0bd82b3d730c9bdde796de0cc35b1835c3644fc29fe633b45da35f7858f80\#
        02606d64e7324c23f354b69c03fce84a5ec24d437f75838d8500d75378bdb1b7af38a0e5c9eeb8b80bd6c610f5c1c80ab188575e2e\#
        2d3ccf4f4ca181ba72604c085d7e64e49638b6041793ca0a9c77aee60ed366cc22072bb055695c9986d7405f70cd9ddd6d8d56558a\#
        1978244e75831b24c4ebe64e196a5fc892c7786bde301afc2d169b532c24e3ff0ee28dd4103aa8d66282feee7f03b3ab0410c399ce\#
        ac26abe45c77148585ec30b724b14dbfcf0bdfca0f","exponent":"","message":"776861742077617320616772656564","sign\#
        ature":"69b206c002c3c594b3c4536eb4c70dfecda78c6f11f20ce8affb0c9708e5845608d13617a3797402268c52d8673cef3b3b\#
        597abd27984ed7867e66397c565b4210f977d96af4d21518657441e2e3e5839baa14db2eb64e23ae5863af2e5c51cef9f07583a24d\#
        8cd1cd9eb954f7c3fd6d51b18e1b93e5b8ce4e8f4717bae994a7004cf121d05b38c6d673cb4dee25c18bcf033e146152eef5139ad4\#
        71954a3472a9dee0cad85f483e40b0be25f6dc1a5dff7155fdb793c54f7ada0e0d90f78bb209f601fb9353f56ec5884ad013568495\#
        6c979d6045a2c6dca98747f2061b99ab28d8544b3255f2db45799dac6d03df11326eb7454a29e5cb053f05c35c402876"}}]
        """#
}
